/** Controls the clock of a replay over HTTP, and adds the header that marks every answer as replayed. */

import type { Context, Middleware } from 'koa'
import { dayMs } from '../../schemas/units.ts'
import type { ReplayClock } from './clock.ts'

const speedMax = 100_000
const stepMsMax = 366 * dayMs

/**
 * `GET /replay` returns the state of the clock. `POST /replay/pause`, `/replay/run?speed=60` and `/replay/step?ms=1000`
 * change the state and return the new one.
 */
export const replayControls = (clock: ReplayClock): Middleware => {
  /** Runs a command. Returns null, or the text of the error. */
  const act = ({ path, query }: Context): string | null => {
    switch (path) {
      case '/replay/pause':
        clock.pause()
        return null
      case '/replay/run': {
        const speed = query.speed === undefined ? undefined : Number(query.speed)
        if (speed !== undefined && !(speed > 0 && speed <= speedMax))
          return `speed must be above 0 and at most ${speedMax}. It is the number of replayed seconds per second`
        clock.run(speed)
        return null
      }
      case '/replay/step': {
        const durationMs = Number(query.ms)
        if (!(Number.isSafeInteger(durationMs) && durationMs > 0 && durationMs <= stepMsMax))
          return `ms must be a whole number from 1 to ${stepMsMax}. It is the number of milliseconds by which the clock moves`
        clock.step(durationMs)
        return null
      }
      default:
        return 'there is no such command. The commands are /replay/pause, /replay/run?speed= and /replay/step?ms='
    }
  }
  const answer = (ctx: Context, refusal: string | null): void => {
    ctx.set('Cache-Control', 'no-store')
    if (refusal !== null) ctx.status = 400
    ctx.body = refusal === null ? clock.state() : { error: refusal, code: 'bad_param' }
  }
  return async (ctx, next) => {
    ctx.set('X-Replay-At', new Date(clock.nowMs()).toISOString())
    if (ctx.path !== '/replay' && !ctx.path.startsWith('/replay/')) return next()
    const method = ctx.path === '/replay' ? 'GET' : 'POST'
    if (ctx.method === method) return answer(ctx, method === 'GET' ? null : act(ctx))
    ctx.status = 405
    ctx.set('Allow', method)
    ctx.body = { error: `this path does not accept ${ctx.method}. Use ${method}`, code: 'method_not_allowed' }
  }
}
