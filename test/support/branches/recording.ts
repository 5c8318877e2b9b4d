/** Defines the options of a measured process and the records that the process writes. */
import type { Profiler } from 'node:inspector'

export const recordingVariable = 'BRANCH_RECORDING'
export type RecordingOptions = Readonly<{ toFile: string; paths: readonly string[] }>

/** `text` is the JavaScript that ran, with its source map at the end. */
export type RecordedFile = Readonly<{ path: string; text: string; functions: readonly Profiler.FunctionCoverage[] }>
