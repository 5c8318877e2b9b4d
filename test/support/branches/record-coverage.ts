/**
 * Records how often V8 runs each code block. Mocha loads this file before the tests, because functions that
 * are compiled earlier have no counters. At exit, this file writes the counts and the compiled text of the
 * measured files.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { type Debugger, type Profiler, Session } from 'node:inspector'
import { type RecordedFile, type RecordingOptions, recordingVariable } from './recording.ts'

const { [recordingVariable]: wanted } = process.env
assert(wanted !== undefined, `${recordingVariable} is not set`)
const { toFile, paths } = JSON.parse(wanted) as RecordingOptions

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/**
 * Sends a command to the inspector and returns the answer. A session in the same thread answers before `post`
 * returns.
 */
function ask<Answer>(command: string, parameters: object = {}): Answer {
  let answer: Answer | undefined
  session.post(command, parameters, (error, result) => {
    assert(error === null, `${command}: ${error?.message}`)
    answer = result as Answer
  })
  assert(answer !== undefined, `${command} did not answer`)
  return answer
}

process.on('exit', () => {
  const { result } = ask<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage')
  // The debugger slows down the code, so it is enabled only to read the texts.
  ask('Debugger.enable')
  const files = result.flatMap(({ url, scriptId, functions }): readonly RecordedFile[] => {
    const path = url.startsWith('file:') ? new URL(url).pathname : ''
    if (!paths.includes(path)) return []
    const { scriptSource } = ask<Debugger.GetScriptSourceReturnType>('Debugger.getScriptSource', { scriptId })
    return [{ path, text: scriptSource, functions }]
  })
  writeFileSync(toFile, JSON.stringify(files))
})
