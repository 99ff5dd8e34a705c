# Starts Neo4j as the official image does: NEO4J_AUTH is the first password, NEO4J_a_b__c sets a.b_c, the data are
# in /data, the logs in /logs, and the server runs as the user neo4j.
set -eu

home=/var/lib/neo4j
conf=$home/conf/neo4j.conf
export NEO4J_HOME=$home NEO4J_CONF=$home/conf

{
  echo server.default_listen_address=0.0.0.0
  echo server.directories.data=/data
  echo server.directories.logs=/logs
  env | sed -n 's/^NEO4J_\([a-z][A-Za-z0-9_]*=\)/\1/p' | while IFS='=' read -r name value; do
    echo "$(echo "$name" | sed 's/__/\n/g; s/_/./g; s/\n/_/g')=$value"
  done
} > "$conf"

as_neo4j="setpriv --reuid=neo4j --regid=neo4j --init-groups"
chown neo4j:neo4j /data /logs

case ${NEO4J_AUTH:-} in
  none) echo dbms.security.auth_enabled=false >> "$conf" ;;
  neo4j/*)
    # Refused where the data have a password already; then that one stays, as with the official image.
    $as_neo4j /opt/java/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '/opt/neo4j/*' org.neo4j.cli.AdminTool \
      dbms set-initial-password "${NEO4J_AUTH#neo4j/}" || [ -d /data/databases/system ] ;;
  *) echo "NEO4J_AUTH must be neo4j/PASSWORD or none" >&2; exit 1 ;;
esac

exec $as_neo4j /opt/java/bin/java \
  -Xms"${NEO4J_server_memory_heap_initial__size:-256m}" -Xmx"${NEO4J_server_memory_heap_max__size:-1g}" \
  --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.util.concurrent=ALL-UNNAMED \
  --enable-native-access=ALL-UNNAMED -XX:+ExitOnOutOfMemoryError -Dlog4j2.disable.jmx=true \
  ${NEO4J_server_jvm_additional:-} -cp '/opt/neo4j/*' \
  org.neo4j.server.Neo4jCommunity --home-dir="$home" --config-dir="$home/conf" --console-mode
