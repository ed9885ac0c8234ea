/** Settings of a single Kafka broker for tests, without its listeners. */
export const SINGLE_BROKER = {
  KAFKA_NODE_ID: '1',
  KAFKA_PROCESS_ROLES: 'broker,controller',
  KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
  // One broker holds one copy. Groups have one member, so a rebalance need not wait for others.
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '5',
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  // Only the estate creates topics.
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
  // For a run of minutes, the second JIT compiler costs more than it saves.
  KAFKA_HEAP_OPTS: '-Xms256m -Xmx384m -XX:TieredStopAtLevel=1',
} as const;

const LOG_CONFIGURATION = `Configuration:
  Appenders:
    Console:
      name: STDOUT
      PatternLayout: { pattern: "[%d] %p %m (%c)%n" }
  Loggers:
    Root: { level: WARN, AppenderRef: [{ ref: STDOUT }] }
    Logger: [{ name: kafka.server, level: INFO }]
`;

/** Separate log configurations, because the image's files may be read-only, and its start script then fails to complete them. */
export const LOGGING_FILES = ['log4j2.yaml', 'tools-log4j2.yaml'].map((name) => ({
  content: LOG_CONFIGURATION,
  target: `/mnt/shared/config/${name}`,
  mode: 0o644,
}));

/** Log line of a broker that is ready. */
export const SERVING = /Kafka Server started/;
