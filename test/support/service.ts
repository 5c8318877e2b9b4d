/** Runs the service as an operator does, with `launch-data up` or with its programs in separate processes. */
import { freePorts } from '../../infra/ports.ts'
import { type RunningProgram, startProgram } from './programs.ts'

export type Service = Readonly<{
  baseUrl: string
  /** The process of the program that answers requests. */
  pid: number
  /** Stops the service as an operator does. Fails if the service does not end cleanly. */
  stop(): Promise<void>
  /** Kills the service. */
  kill(): Promise<void>
  /** Returns the output on standard error so far. */
  errorOutput(): string
}>

type Environment = Readonly<Record<string, string>>

/**
 * Starts the service and waits until it listens. `programs` run together as one service, and the last program
 * answers requests.
 */
export async function startService(environment: Environment, programs: readonly string[] = ['up']): Promise<Service> {
  const [port = 0] = await freePorts(1)
  const running = programs.map((name) => startProgram(name, { PORT: String(port), LOG_LEVEL: 'warn', ...environment }))
  const kill = async () => {
    for (const program of running) program.kill('SIGKILL')
    await Promise.all(running.map(({ done }) => done))
  }
  try {
    await running.at(-1)?.until(/Launch Data Service on /)
  } catch (error) {
    await kill()
    throw error
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: running.at(-1)?.pid ?? 0,
    async stop() {
      const endings = await Promise.allSettled(running.map((program) => program.stop()))
      for (const ending of endings) if (ending.status === 'rejected') throw ending.reason
    },
    kill,
    errorOutput: () => running.map((program: RunningProgram) => program.stderr()).join('\n'),
  }
}
