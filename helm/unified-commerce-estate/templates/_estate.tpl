{{/* These templates set values in an object of objects/ and render nothing, except secret, settings and ports. */}}

{{- define "estate.secret" -}}
{{ .Values.secrets.existing | default "estate" }}
{{- end }}

{{/* Pods: where they run. */}}
{{- define "estate.scheduling" }}
{{- $pod := .pod }}
{{- with .root.Values.nodeSelector }}{{ $_ := set $pod "nodeSelector" . }}{{ end }}
{{- with .root.Values.tolerations }}{{ $_ := set $pod "tolerations" . }}{{ end }}
{{- end }}

{{/* Variables: the Secret, and the addresses of Redis and Kafka. */}}
{{- define "estate.environment" }}
{{- $values := .root.Values }}
{{- $secret := include "estate.secret" .root }}
{{- range .container.env }}
{{- if and (eq .name "REDIS_URL") $values.redis.external }}{{ $_ := set . "value" $values.redis.external }}{{ end }}
{{- if and (eq .name "KAFKA_BROKERS") $values.kafka.external }}{{ $_ := set . "value" $values.kafka.external }}{{ end }}
{{- with dig "valueFrom" "secretKeyRef" dict . }}{{ $_ := set . "name" $secret }}{{ end }}
{{- /* Your Redis may have no password. */}}
{{- if and (eq .name "REDIS_PASSWORD") $values.redis.external }}{{ $_ := set .valueFrom.secretKeyRef "optional" true }}{{ end }}
{{- end }}
{{- end }}

{{- define "estate.deployment" }}
{{- $values := .root.Values }}
{{- $deployment := .deployment }}
{{- $pod := $deployment.spec.template.spec }}
{{- $container := first $pod.containers }}
{{- $own := get $values.deployments $deployment.metadata.name | default dict }}
{{- $_ := set $container "image" (printf "%s:%s" $values.image.repository $values.image.tag) }}
{{- with $values.image.pullPolicy }}{{ $_ := set $container "imagePullPolicy" . }}{{ end }}
{{- with $values.image.pullSecrets }}
{{- $names := list }}
{{- range . }}{{ $names = append $names (dict "name" .) }}{{ end }}
{{- $_ := set $pod "imagePullSecrets" $names }}
{{- end }}
{{- $_ := set $container "resources" (mergeOverwrite (deepCopy $values.resources) (deepCopy ($own.resources | default dict))) }}
{{- if hasKey $own "replicas" }}{{ $_ := set $deployment.spec "replicas" (int $own.replicas) }}{{ end }}
{{- /* A changed setting replaces the pods. */}}
{{- $settings := include "estate.settings" .root }}
{{- $_ := set $deployment.spec.template.metadata "annotations" (dict "checksum/settings" (sha256sum $settings)) }}
{{- include "estate.environment" (dict "root" .root "container" $container) }}
{{- with $values.secrets.files }}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts (dict "name" "files" "mountPath" "/files" "readOnly" true)) }}
{{- $_ := set $pod "volumes" (append $pod.volumes (dict "name" "files" "secret" (dict "secretName" .))) }}
{{- end }}
{{- include "estate.scheduling" (dict "root" .root "pod" $pod) }}
{{- end }}

{{/* Redis or Kafka; values are the values of one of them. */}}
{{- define "estate.infrastructure" }}
{{- $spec := .set.spec }}
{{- $pod := $spec.template.spec }}
{{- $container := first $pod.containers }}
{{- $persistence := .root.Values.persistence }}
{{- $_ := set $container "image" .values.image }}
{{- $_ := set $container "resources" (mergeOverwrite $container.resources (deepCopy .values.resources)) }}
{{- include "estate.environment" (dict "root" .root "container" $container) }}
{{- if $persistence.enabled }}
{{- $claim := (first $spec.volumeClaimTemplates).spec }}
{{- $_ := set $claim.resources.requests "storage" .values.storage }}
{{- with $persistence.storageClass }}{{ $_ := set $claim "storageClassName" . }}{{ end }}
{{- else }}
{{- $_ := unset $spec "volumeClaimTemplates" }}
{{- $_ := set $pod "volumes" (append $pod.volumes (dict "name" "data" "emptyDir" dict)) }}
{{- end }}
{{- include "estate.scheduling" (dict "root" .root "pod" $pod) }}
{{- end }}

{{/* The settings as a map of YAML, with the names that the gateway accepts, the addresses that may be called, and the real systems. */}}
{{- define "estate.settings" }}
{{- $settings := deepCopy .Values.settings }}
{{- with .Values.host }}
{{- $_ := set $settings "ALLOWED_HOSTS" (join "," (compact (list (get $settings "ALLOWED_HOSTS") .))) }}
{{- end }}
{{- with .Values.webhooks.allow }}
{{- $_ := set $settings "OUTBOUND_ALLOW" (join "," (compact (list (get $settings "OUTBOUND_ALLOW") .))) }}
{{- end }}
{{- range $name, $url := .Values.swaps }}
{{- if $url }}{{ $_ := set $settings (printf "SWAP_%s_URL" ($name | upper | replace "-" "_")) $url }}{{ end }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{/* Ports in a list of addresses, as rules of a network policy. */}}
{{- define "estate.ports" }}
{{- $ports := list }}
{{- range splitList "," .addresses }}
{{- $port := regexFind "[0-9]+" (regexFind ":[0-9]+(/[0-9]*)?$" (trim .)) | default $.default | int }}
{{- $ports = append $ports (dict "protocol" "TCP" "port" $port) }}
{{- end }}
{{- toYaml (uniq $ports) }}
{{- end }}
