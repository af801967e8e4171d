/** APIs of the operator's own, or their folder, cannot be used. The message says what to change. */
export class PluginRefused extends Error {
  override readonly name = "PluginRefused"
}
