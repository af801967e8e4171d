/** A part of prom-client that the package does not declare: without its parts that measure or send, which load `node:http`. */
declare module "prom-client/lib/cluster.js" {
  import { AggregatorRegistry } from "prom-client"
  export default AggregatorRegistry
}
