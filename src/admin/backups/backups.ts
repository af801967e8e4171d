import type { FileContent } from "../../values/file-content.ts"
import { conflict } from "../fault.ts"

/** Letters, digits and three signs: no name leads out of the directory or looks like an option. */
export const backupNameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,95}\.db$/

/** Copies of the store in the directory that the operator has set. Every method rejects with an AdminFault. */
export interface Backups {
  /**
   * Checks that a copy with this name can be made, without making it.
   * @param name a file name without a path
   */
  requireRoom(name: string): Promise<void>
  /** Copies the store, in a separate process, so that calls go on. There is one copy at a time. */
  create(name: string): Promise<VerifiedBackup>
  /** The finished copies, newest first. */
  list(): Promise<readonly BackupFile[]>
  /** Checks a copy without changing it, in a separate process. */
  verify(name: string): Promise<VerifiedBackup>
  /** Opens a finished copy to send it. Close the result when done. */
  open(name: string): Promise<OpenBackup>
  /** Deletes a finished copy. */
  remove(name: string): Promise<void>
  /** When the newest copy was made, in milliseconds since the Unix epoch; null without one, or without a directory to look in. */
  lastMs(): Promise<number | null>
}

/** A copy of the store. */
export interface BackupFile {
  readonly name: string
  readonly bytes: number
  /** Milliseconds since the Unix epoch. */
  readonly madeMs: number
}

/** A copy that is being read. It stays whole when its file is deleted meanwhile. */
export interface OpenBackup extends BackupFile, FileContent {}

/** A copy that was read to its end without an error. */
export interface VerifiedBackup extends BackupFile {
  readonly storeVersion: number
  readonly accounts: number
  readonly keys: number
}

/** For a process that has no store to copy. */
export function noBackups(reason: string): Backups {
  const refuse = () => Promise.reject(conflict(reason))
  return {
    requireRoom: refuse,
    create: refuse,
    list: refuse,
    verify: refuse,
    open: refuse,
    remove: refuse,
    lastMs: async () => null,
  }
}
