/** The workers and the sink of a session in their own processes. An unexpected end of a process is reported. */
import type { Stage } from '../../../../schemas/stage.ts'
import { type RunningProgram, startProgram, startScript } from '../../../support/programs.ts'
import type { WorkerJob } from './worker.ts'

export type Worker = RunningProgram & Standing

type Standing = Readonly<{
  /** How often it got partitions. */
  joinCount(): number
  /** The partitions that the worker has now. Null: Kafka is assigning the partitions again. */
  ours(): readonly number[] | null
}>

export type Crew = Readonly<{
  /** Two workers, as an operator starts them. A dead worker is replaced. */
  workers: Worker[]
  /** Null: the session has no sink. */
  sink: RunningProgram | null
  /** The temporary workers. */
  guests: Worker[]
}>

export type Hiring = Readonly<{
  /** The stage whose partition assignments are read from the log output. */
  stage: Stage
  environment: Readonly<Record<string, string>>
  /** Is called one time for each process that fails. */
  onFailure: (sentence: string) => void
}>

const script = 'test/proofs/soak/kafka/worker.ts'
const tailMax = 2000

export const startWorker = (hiring: Hiring): Worker =>
  withStanding(watched(startProgram('process', hiring.environment), hiring), hiring.stage)

export const startTestWorker = (job: Omit<WorkerJob, 'stage'>, hiring: Hiring): Worker =>
  withStanding(
    watched(startScript(script, JSON.stringify({ ...job, stage: hiring.stage.name }), hiring.environment), hiring),
    hiring.stage,
  )

export const startSink = (hiring: Hiring): RunningProgram =>
  watched(startProgram('project', hiring.environment), hiring)

/** Reports a process that ends in any other way than by our SIGKILL or with code 0. */
function watched(program: RunningProgram, { onFailure }: Hiring): RunningProgram {
  void program.done.then(({ code, signal }) => {
    if (signal !== 'SIGKILL' && code !== 0)
      onFailure(`a program ended with ${signal ?? code}: ${program.stderr().slice(-tailMax)}`)
  })
  return program
}

const withStanding = (program: RunningProgram, stage: Stage): Worker => ({
  ...program,
  joinCount: () => linesAbout(stage, program.stderr()).split(oursText).length - 1,
  ours: () => partitionsIn(linesAbout(stage, program.stderr())),
})

/** The lines about one stage. Each stage of a worker has its own assignment of partitions. */
const linesAbout = ({ name }: Stage, output: string): string =>
  output
    .split('\n')
    .filter((line) => line.includes(`stage-${name}`))
    .join('\n')

const oursText = '"partitions assigned"'
const anewText = '"partitions are being reassigned"'

function partitionsIn(output: string): readonly number[] | null {
  const at = output.lastIndexOf(oursText)
  if (at < 0 || output.lastIndexOf(anewText) > at) return null
  const line = output.slice(output.lastIndexOf('{', at), at)
  const [, list = ''] = /"partitions":\[([\d,]*)\]/.exec(line) ?? []
  return list === '' ? [] : list.split(',').map(Number)
}
