import { poolLifeMs } from '../schemas/chain-a/pool-life.ts'

/** Later logs of a pool are not read. Judged at a block's own time, so that it does not depend on how the past was cut into ranges. */
export const isPoolAlive = (createdAtMs: number, blockAtMs: number): boolean => blockAtMs - createdAtMs <= poolLifeMs
