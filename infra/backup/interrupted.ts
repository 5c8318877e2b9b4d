import { OperationError } from '../errors.ts'

/** The error of a backup or restore that a signal stopped. */
export const interrupted = (what: 'backup' | 'restore', cause: unknown): OperationError =>
  new OperationError('interrupted', `the ${what} was stopped, and its files were removed. Run the command again`, {
    cause,
  })
