/** What a process under measurement is told, and what it writes. */
import type { Profiler } from 'node:inspector'

export const recordingVariable = 'BRANCH_RECORDING'
export type RecordingOptions = Readonly<{ toFile: string; paths: readonly string[] }>

/** `text`: the JavaScript that ran, which ends with its source map. */
export type RecordedFile = Readonly<{ path: string; text: string; functions: readonly Profiler.FunctionCoverage[] }>
