/** Imports that no list allows yet. Empty. */
export const notYet: readonly string[] = []

/** Files and folders that documents name and that do not exist yet. Empty. */
export const filesNotYet: readonly string[] = []
