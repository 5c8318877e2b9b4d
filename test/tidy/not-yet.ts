/** Imports that no list allows yet. There are none. */
export const notYet: readonly string[] = []

/** Files and folders that documents name but that do not exist yet. There are none. */
export const filesNotYet: readonly string[] = []
