/** The pass of the stream. The client buys it when it needs one, and uses it until the service says that it has expired. */
import { OperationError } from '../../infra/errors.ts'
import type { Budget } from './budget.ts'
import type { Buyer, Outcome } from './buyer.ts'
import { parsed, type Reply } from './request.ts'

/** `isNew`: the pass was bought just now, so the service must accept it. */
type HeldPass = Readonly<{ token: string; isNew: boolean }>

export type Passes = Readonly<{
  current(): Promise<HeldPass>
  /** Forgets the pass with this token, because it has expired. */
  drop(token: string): Promise<void>
}>

type Options = Readonly<{
  buyer: Buyer
  budget: Budget
  /** Returns the answer of an outcome. Throws if it has none. */
  answerIn: (outcome: Outcome) => unknown
}>

const passPath = '/v1/stream/pass'

export function createPasses({ buyer, budget, answerIn }: Options): Passes {
  /** Concurrent streams share a pass, which has two connections. */
  let buying: Promise<HeldPass> | null = null

  const buy = async (): Promise<HeldPass> => {
    // A pass that was paid before a crash comes first. It may have expired, and then the service says so.
    const lost = budget.open().find(({ path }) => path === passPath)
    const resumed = lost === undefined ? null : await buyer.resume(lost.name, passTokenIn)
    const isNew = resumed === null || resumed.kind === 'refused'
    const token = tokenIn(answerIn(isNew ? await buyer.buy(passPath, passTokenIn) : resumed))
    // The buyer has kept the pass, unless it was free.
    if (budget.passToken() !== token) await budget.keepPass(token)
    return { token, isNew }
  }
  return {
    async current() {
      const token = budget.passToken()
      if (token !== null) return { token, isNew: false }
      buying ??= buy().finally(() => {
        buying = null
      })
      return buying
    },
    async drop(token) {
      // Another stream may have bought the next pass already.
      if (budget.passToken() === token) await budget.keepPass(null)
    },
  }
}

const passTokenIn = ({ text }: Reply): string | null => tokenOf(parsed(text))

function tokenOf(answer: unknown): string | null {
  const { token } = (answer ?? {}) as Readonly<{ token?: unknown }>
  return typeof token === 'string' ? token : null
}

function tokenIn(answer: unknown): string {
  const token = tokenOf(answer)
  if (token !== null) return token
  throw new OperationError('stream_failed', `the answer of ${passPath} has no token. Check the address of the service`)
}
