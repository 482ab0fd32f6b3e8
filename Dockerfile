# Roz as an image: `docker build -t roz:1.1.0 .`; ops/package/image.test.ts runs these steps without Docker.
# The first stage has the whole checkout with its packages and the built pages. The second has what production needs, and nothing else.
FROM node:26.10.0-trixie-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN npm run package && ln -sf /usr/local/bin/node .build/package/roz/node
# For compose.yaml, which runs the demo in this stage.
RUN install -d -o 65532 -g 65532 -m 0700 /data

FROM node:26.10.0-trixie-slim
WORKDIR /app
COPY --from=build /src/.build/package/roz /app
RUN install -d -o 65532 -g 65532 -m 0700 /data && ln -s /app/roz /usr/local/bin/roz
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=8080
ENV DATA_DIR=/data
ENV WEB_DIR=/app/web
# As ops/launch/server-program.mjs says.
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=1048576
ENV MALLOC_TRIM_THRESHOLD_=8388608
# A user of its own, without a name. Only /data is written to: the root may be read-only.
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node", "--min-semi-space-size=32", "--max-semi-space-size=32", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "--initial-old-space-size=64", "--heap-growing-percent=20", "--expose-gc", "server/src/main.ts"]
