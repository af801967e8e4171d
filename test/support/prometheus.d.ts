declare module "parse-prometheus-text-format" {
  /** Reads the Prometheus text format. */
  export default function parsePrometheusTextFormat(text: string): { readonly name: string }[]
}
