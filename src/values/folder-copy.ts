/** A copy of a folder, made at one instant. */
export interface FolderCopy {
  /** The path of the copy. */
  readonly folder: string
  /** The same for the same folder with the same files. */
  readonly fingerprint: string
}

/** A copy that its maker removes. */
export type OwnedCopy = FolderCopy & { remove(): void }
