/** The parts of Swagger UI that its page uses. The viewer is a script of its own, which makes one global name. */
declare const SwaggerUIBundle: SwaggerUIBundle

interface SwaggerUIBundle {
  (options: SwaggerOptions): SwaggerUi
  readonly presets: { readonly apis: unknown }
}

interface SwaggerUi {
  preauthorizeApiKey(scheme: string, key: string): void
}

interface SwaggerOptions {
  readonly plugins: readonly (() => SwaggerPlugin)[]
  readonly onComplete: () => void
  readonly [name: string]: unknown
}

interface SwaggerPlugin {
  readonly wrapComponents?: Readonly<
    Record<string, (original: SwaggerComponent, system: SwaggerSystem) => SwaggerComponent>
  >
  readonly statePlugins?: Readonly<
    Record<
      string,
      { readonly wrapActions: Readonly<Record<string, (original: SwaggerAction) => SwaggerAction>> }
    >
  >
}

type SwaggerAction = (payload: unknown) => unknown
type SwaggerComponent = ((props: SwaggerProps) => unknown) & { readonly swagger?: never }
type SwaggerProps = Readonly<Record<string, unknown>>

interface SwaggerSystem {
  readonly React: {
    createElement(type: SwaggerComponent | string, props: object | null, ...children: unknown[]): unknown
    useState<T>(initial: T): readonly [T, (next: T) => void]
  }
}

/** A map of the library that Swagger UI keeps documents in. */
interface SwaggerMap {
  readonly size: number
  get(name: string): unknown
  filter(keep: (value: unknown, name: string) => boolean): SwaggerMap
}
