# Packs the executable. Run `bun run build` first.
FROM debian:bookworm-slim
COPY dist/penknife /usr/local/bin/penknife
COPY dist/THIRD-PARTY-NOTICES.txt /usr/share/doc/penknife/
RUN install -d -o 65532 -g 65532 /data
USER 65532:65532
WORKDIR /data
# The port of mock, which the image runs by default. serve listens on 8080.
EXPOSE 8090
ENTRYPOINT ["penknife"]
CMD ["mock", "--host", "0.0.0.0"]
