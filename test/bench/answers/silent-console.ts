/** The threads log only errors. Their progress is ignored. */
export const silentConsole = { report: () => {}, threadLog: { level: 'error', write: null } }
