{{/* These templates set values in an object of objects/ and render nothing, except secret, settings and ports. */}}

{{- define "estate.secret" -}}
{{ .Values.secrets.existing | default "estate" }}
{{- end }}

{{/* Pods: where they run. */}}
{{- define "estate.scheduling" }}
{{- $pod := .pod }}
{{- with .root.Values.nodeSelector }}{{ $_ := set $pod "nodeSelector" . }}{{ end }}
{{- with .root.Values.tolerations }}{{ $_ := set $pod "tolerations" . }}{{ end }}
{{- with .root.Values.affinity }}{{ $_ := set $pod "affinity" . }}{{ end }}
{{- with .root.Values.priorityClassName }}{{ $_ := set $pod "priorityClassName" . }}{{ end }}
{{- end }}

{{/* An image in the registry of the values. The registry of its name, if it has one, is replaced. */}}
{{- define "estate.image" }}
{{- $image := .image }}
{{- with (.root.Values.global | default dict).imageRegistry }}
{{- $first := first (splitList "/" $image) }}
{{- if and (contains "/" $image) (or (contains "." $first) (contains ":" $first) (eq $first "localhost")) }}{{ $image = trimPrefix (printf "%s/" $first) $image }}{{ end }}
{{- $image = printf "%s/%s" (trimSuffix "/" .) $image }}
{{- end }}
{{- $image }}
{{- end }}

{{/* The image of the estate: by digest if there is one. */}}
{{- define "estate.own-image" }}
{{- $image := .Values.image }}
{{- $name := include "estate.image" (dict "root" . "image" $image.repository) }}
{{- if $image.digest }}{{ printf "%s@%s" $name $image.digest }}{{ else }}{{ printf "%s:%s" $name $image.tag }}{{ end }}
{{- end }}

{{/* Secrets with the credentials of the registry. */}}
{{- define "estate.pull-secrets" }}
{{- $pod := .pod }}
{{- with .root.Values.image.pullSecrets }}
{{- $names := list }}
{{- range . }}{{ $names = append $names (dict "name" .) }}{{ end }}
{{- $_ := set $pod "imagePullSecrets" $names }}
{{- end }}
{{- end }}

{{/* Adds the labels and annotations of the values to an object and its pods, and renders it. Its own labels stay, because selectors use them. */}}
{{- define "estate.rendered" }}
{{- $object := .object }}
{{- $values := .root.Values }}
{{- $metadata := list $object.metadata }}
{{- with dig "spec" "template" "metadata" dict $object }}{{ $metadata = append $metadata . }}{{ end }}
{{- range $metadata }}
{{- if $values.labels }}{{ $_ := set . "labels" (merge (.labels | default dict) (deepCopy $values.labels)) }}{{ end }}
{{- if $values.annotations }}{{ $_ := set . "annotations" (merge (.annotations | default dict) (deepCopy $values.annotations)) }}{{ end }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}

{{/* Variables: the Secret, and the addresses of Redis and Kafka. */}}
{{- define "estate.environment" }}
{{- $values := .root.Values }}
{{- $secret := include "estate.secret" .root }}
{{- /* The settings have the login at your brokers. */}}
{{- $kept := list }}
{{- range .container.env }}
{{- if not (and $values.kafka.external (hasPrefix "KAFKA_SASL_" .name)) }}{{ $kept = append $kept . }}{{ end }}
{{- end }}
{{- $_ := set .container "env" $kept }}
{{- range $kept }}
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
{{- $_ := set $container "image" (include "estate.own-image" .root) }}
{{- with $values.image.pullPolicy }}{{ $_ := set $container "imagePullPolicy" . }}{{ end }}
{{- include "estate.pull-secrets" (dict "root" .root "pod" $pod) }}
{{- with $values.secrets.environment }}
{{- $_ := set $container "envFrom" (append $container.envFrom (dict "secretRef" (dict "name" .))) }}
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
{{- $_ := set $container "image" (include "estate.image" (dict "root" .root "image" .values.image)) }}
{{- with .root.Values.image.pullPolicy }}{{ $_ := set $container "imagePullPolicy" . }}{{ end }}
{{- include "estate.pull-secrets" (dict "root" .root "pod" $pod) }}
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
