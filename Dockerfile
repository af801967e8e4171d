# Packs the executable. Run `bun run build` first.
# The digest is that of the image for all processors: a tag alone may name another image tomorrow. A newer one is listed in
# https://github.com/docker-library/repo-info/blob/master/repos/debian/remote/bookworm-slim.md.
FROM debian:bookworm-20260918-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251
COPY dist/penknife /usr/local/bin/penknife
COPY dist/THIRD-PARTY-NOTICES.txt /usr/share/doc/penknife/
RUN install -d -o 65532 -g 65532 /data
USER 65532:65532
WORKDIR /data
# The port of mock, which the image runs by default. serve listens on 8080.
EXPOSE 8090
# The data file of serve. A mock writes nothing.
VOLUME /data
# The image has no other HTTP client than bash. A mock listens on 8090, serve on 8080, both where PENKNIFE_PORT says.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["bash", "-c", "\
  for port in ${PENKNIFE_PORT:-8090 8080}; do \
    exec 3<>/dev/tcp/127.0.0.1/$port || continue; \
    printf 'GET /health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; \
    grep -q '200 OK' <&3 && exit 0; \
  done; exit 1"]
ENTRYPOINT ["penknife"]
CMD ["mock", "--host", "0.0.0.0"]
