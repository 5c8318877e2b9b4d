/** The workers and the sink of a session as processes of their own; whoever ends in another way than he is told is noted. */
import type { Stage } from '../../../../schemas/stage.ts'
import { type RunningProgram, startProgram, startScript } from '../../../support/programs.ts'
import type { WorkerJob } from './worker.ts'

export type Worker = RunningProgram & Standing

type Standing = Readonly<{
  /** How often partitions were given to it. */
  joinCount(): number
  /** Its partitions; null while they are shared out anew. */
  ours(): readonly number[] | null
}>

export type Crew = Readonly<{
  /** Two of them, as an operator starts them; a dead one is replaced in its place. */
  workers: Worker[]
  /** Null: what is derived goes nowhere. */
  sink: RunningProgram | null
  /** Those who come and go. */
  guests: Worker[]
}>

export type Hiring = Readonly<{
  /** Whose partitions they are watched for. */
  stage: Stage
  environment: Readonly<Record<string, string>>
  /** Told once for each that fails. */
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

/** Killed it was by us; else it ends with 0 and only when it is told to. */
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

/** The stages of a worker share their partitions each for itself. */
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
