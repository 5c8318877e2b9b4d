/** Threads log errors alone, and nobody follows their progress. */
export const silentConsole = { report: () => {}, threadLog: { level: 'error', write: null } }
