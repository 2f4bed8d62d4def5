# agon in a container, as a plain user: docker build -t agon .
FROM rust:1-slim-trixie AS build
WORKDIR /source
# scripts/image-build builds from exactly these files.
COPY Cargo.toml Cargo.lock build.rs ./
COPY .cargo .cargo
COPY crates crates
COPY engines engines
COPY benches benches
COPY books books
COPY fixtures fixtures
COPY src src
COPY starters starters
COPY README.md LICENSE-MIT LICENSE-APACHE ./
RUN cargo build --release --locked --bins -p agon -p agon-serve

FROM debian:trixie-slim
# `agon report --gif` asks for a font: that of fonts-dejavu-core, or one that is named with --font.
RUN useradd --create-home --uid 1000 agon && install -d -o agon -g agon /results
COPY --from=build /source/target/release/agon /source/target/release/agon-serve /usr/local/bin/
COPY scripts/nightly /usr/local/lib/agon/nightly
USER agon
WORKDIR /results
ENTRYPOINT ["agon"]
CMD ["--help"]
