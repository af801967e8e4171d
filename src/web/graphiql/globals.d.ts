/** The parts of React, ReactDOM and GraphiQL that the page uses. Each is a script of its own, which makes one global name. */
declare const React: { createElement(type: typeof GraphiQL, props: GraphiqlProps): ReactElement }
declare const ReactDOM: { createRoot(place: Element): { render(element: ReactElement): void } }
declare const GraphiQL: { createFetcher(options: { readonly url: string }): GraphiqlFetcher }

interface ReactElement {
  readonly type: unknown
}

type GraphiqlFetcher = (query: unknown, options?: FetcherOptions) => unknown

interface FetcherOptions {
  readonly headers?: Readonly<Record<string, string>>
}

interface GraphiqlProps {
  readonly fetcher: GraphiqlFetcher
  /** Null shows no schema; undefined asks the service for it. */
  readonly schema: null | undefined
  readonly isHeadersEditorEnabled: boolean
  readonly shouldPersistHeaders: boolean
  readonly defaultQuery: string
  /** Where it keeps its state, as a browser's `Storage` does. */
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem" | "clear" | "length">
}
