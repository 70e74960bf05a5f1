# docker build -t foxir . ; docker run -v "$PWD:/data" foxir search wiki.foxir 'jedi force'
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/foxir-*.whl)[web,mcp,images,plots]" && rm -r /wheels \
    && useradd --create-home foxir
USER foxir
WORKDIR /data
ENTRYPOINT ["foxir"]
CMD ["--help"]
