/** The part of prom-client that only writes. The package does not declare it. The others load `node:http`. */
declare module "prom-client/lib/cluster.js" {
  import { AggregatorRegistry } from "prom-client"
  export default AggregatorRegistry
}
