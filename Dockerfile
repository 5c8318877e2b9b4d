# The image of the service. infra/docs/operations.md says how to build it and how to run it.
FROM node:24.21.0-slim AS build
WORKDIR /service
# The packages change less often than the code, so they have layers of their own.
COPY package.json package-lock.json ./
# npm installs a package from each of these folders.
COPY infra/no-sqlite/ infra/no-sqlite/
COPY infra/no-key-services/ infra/no-key-services/
RUN npm ci --omit=dev --no-audit --no-fund
COPY tsconfig.json ./
COPY schemas/ schemas/
COPY infra/ infra/
COPY ingest/ ingest/
COPY processors/ processors/
COPY projections/ projections/
COPY api/ api/
# Bundles the programs. The user of the image may not do this, because root owns the code.
RUN ["node", "infra/command-line/launch-data.js", "--help"]

FROM node:24.21.0-slim
WORKDIR /service
RUN ["install", "--directory", "--owner=node", "--group=node", "/data"]
COPY --from=build /service/ ./
# A service that has run for ten seconds stores its compiled code here, beside the bundles.
COPY --from=build --chown=node:node /service/node_modules/.cache/ node_modules/.cache/
# The published port decides who reaches the API. The metrics listen on the loopback address of the container.
ENV HOST=0.0.0.0 PORT=8402 METRICS_PORT=9464 DATA_DIR=/data
# Memory that is free goes back to the system, as with npm start (package.json).
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 JE_MALLOC_CONF=prof:false,dirty_decay_ms:500,tcache:false
EXPOSE 8402
VOLUME /data
USER node
# The service finishes running payments before it ends, so give it 30 seconds. Docker waits only 10 by default.
STOPSIGNAL SIGTERM
# Every program serves /livez on the port for metrics. Only the API has the public port.
HEALTHCHECK --interval=10s --timeout=5s --start-period=2m --retries=3 \
  CMD ["node", "--input-type=module", "--eval", "const { ok } = await fetch('http://127.0.0.1:' + process.env.METRICS_PORT + '/livez'); process.exit(ok ? 0 : 1)"]
ENTRYPOINT ["node", "infra/command-line/launch-data.js"]
CMD ["up"]
