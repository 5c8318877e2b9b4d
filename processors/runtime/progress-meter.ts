import type { Tick } from '../../schemas/tick.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { StageDependencies, TaskProgress } from './task.ts'

/** The minimum time over which facts per second are measured, in ms. */
const measuredMs = 1000

/** Reports the progress of a task (one partition of a stage) after each append to the log. */
export class ProgressMeter {
  readonly #dependencies: Pick<StageDependencies, 'nowMs' | 'onProgress'>
  readonly #partition: number
  #sinceAtMs: EpochMs
  #records = 0
  #allRecords = 0
  #factsPerSecond = 0

  constructor(dependencies: Pick<StageDependencies, 'nowMs' | 'onProgress'>, partition: number) {
    this.#dependencies = dependencies
    this.#partition = partition
    this.#sinceAtMs = dependencies.nowMs()
  }

  count(records: number): void {
    this.#records += records
    this.#allRecords += records
  }

  report(tick: Tick, state: Pick<TaskProgress, 'isFolding' | 'tokens' | 'timers'>): void {
    const elapsedMs = this.#dependencies.nowMs() - this.#sinceAtMs
    if (elapsedMs >= measuredMs) {
      this.#factsPerSecond = (this.#records * 1000) / elapsedMs
      this.#records = 0
      this.#sinceAtMs += elapsedMs
    }
    const { seq, knownAtMs, blockAtMs } = tick
    const factsPerSecond = this.#factsPerSecond
    const rate = { factsPerSecond, records: this.#allRecords }
    this.#dependencies.onProgress?.({ partition: this.#partition, seq, knownAtMs, blockAtMs, ...rate, ...state })
  }
}
