# One image for every application: SERVICE selects one. Without it the whole estate runs in one process, in memory.
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY image/strip-dependencies.ts image/
RUN node image/strip-dependencies.ts node_modules

# The pages are bundled with development dependencies, which the image does not keep.
FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node image/build-pages.ts

FROM ${NODE_IMAGE} AS application
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY . .
COPY --from=pages /app/ui/built ui/built
# Node finds compiled code by version, architecture and user id, so the user of the final image compiles it.
RUN mkdir .compiled && chown 1000:1000 .compiled
USER 1000:1000
RUN NODE_COMPILE_CACHE=/app/.compiled node image/compile.ts

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="unified-commerce-estate" \
      org.opencontainers.image.description="Every owning application of a unified-commerce retailer, simulated: one consistent world to rehearse whole flows on." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
# No process of the image runs a package manager, and a scan finds their dependencies.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
WORKDIR /app
COPY --from=application /app ./
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/.compiled \
    HOST=0.0.0.0 \
    PORTAL_HOST=0.0.0.0 \
    LOG_LEVEL=info
USER 1000:1000
EXPOSE 8080 15115 15116
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=6 CMD ["bash", "image/health-check.sh"]
# Node's default reserves more memory for new objects than a process with one application needs, which has few requests at a time.
CMD ["node", "--max-semi-space-size=4", "estate/main.ts"]
