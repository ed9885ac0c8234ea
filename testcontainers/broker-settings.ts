/** What a single Kafka broker for tests is told, whatever its listeners are called. */
export const SINGLE_BROKER = {
  KAFKA_NODE_ID: '1',
  KAFKA_PROCESS_ROLES: 'broker,controller',
  KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
  // One broker can hold one copy; and whoever joins a group is alone in it, so it need not wait for others.
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '5',
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  // What creates a topic is the estate, or nobody.
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
  // What runs for minutes is not worth the second compiler.
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

/** Our own, since the one in an image may be read-only, and what starts the broker then cannot complete it. */
export const LOGGING_FILES = ['log4j2.yaml', 'tools-log4j2.yaml'].map((name) => ({
  content: LOG_CONFIGURATION,
  target: `/mnt/shared/config/${name}`,
  mode: 0o644,
}));

/** What it says when it serves. */
export const SERVING = /Kafka Server started/;
