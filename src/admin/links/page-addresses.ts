/** Where browsers find the pages, as URLs without a path. */
export interface PageAddresses {
  /** @throws AdminFault when the console is off */
  console(): string
  /** @throws AdminFault when the portal is off */
  portal(): string
}
