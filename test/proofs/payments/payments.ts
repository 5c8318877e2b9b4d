/**
 * `npm run payments -- 10000 [300] [first seed]` checks the rules for payments in 10,000 random runs in
 * virtual time, and in 300 runs on the local chains. If a rule is broken, the command prints the fewest steps
 * that break it, and the exit code is 1. `npm run payments -- sabotage [200] [words of a name]` checks
 * whether 200 seeds find each mistake that is put into the code on purpose.
 */
import { startLocalPayments } from '../../../infra/development/payments/start-local-payments.ts'
import { inCheckoutCopy } from '../checkout-copy.ts'
import { findsMistake } from './finds-mistake.ts'
import { brokenPromises, type History } from './history.ts'
import { openLocalChains } from './local-chains.ts'
import { planOf } from './plan.ts'
import { playAlone, playOnLocalChains, smallest } from './prove.ts'
import { sabotages } from './sabotages.ts'

const print = (text: string) => void process.stdout.write(`${text}\n`)
const startedAtMs = performance.now()
const secondsSoFar = () => Math.round((performance.now() - startedAtMs) / 1000)
const [command = '10000', ...rest] = process.argv.slice(2)

if (command === 'sabotage') await sabotage(rest[0] ?? '200', rest[1] ?? '')
else {
  const [localCount = 0, firstSeed = 1] = rest.map(Number)
  const broken = await prove(Number(command), firstSeed)
  const brokenLocally = localCount === 0 ? 0 : await proveOnLocalChains(localCount, firstSeed)
  process.exitCode = broken + brokenLocally === 0 ? 0 : 1
}
// The calls of killed services stay open for ever, so the process must be ended here.
process.exit()

async function prove(count: number, firstSeed: number): Promise<number> {
  const sum = createSum()
  for (let done = 0; done < count; done++) {
    const plan = planOf(firstSeed + done)
    if (sum.add(plan.seed, await playAlone(plan)) > 0) {
      const least = await smallest(plan, async (less) => brokenPromises(await playAlone(less)))
      print(JSON.stringify(least))
    }
    if ((done + 1) % 1_000 === 0) print(`${done + 1} of ${count}, ${secondsSoFar()} s`)
  }
  return sum.end(`${count} interleavings from seed ${firstSeed}`)
}

/** A run on the local chains mostly waits, so several runs go on in parallel. */
async function proveOnLocalChains(count: number, firstSeed: number): Promise<number> {
  const payments = await startLocalPayments()
  const openChains = await openLocalChains(payments)
  const sum = createSum()
  let started = 0
  const playOneAfterTheOther = async () => {
    while (started < count) {
      const plan = planOf(firstSeed + started++)
      sum.add(plan.seed, await playOnLocalChains(plan, openChains))
      if (sum.count() % 50 === 0) print(`${sum.count()} of ${count} on local chains, ${secondsSoFar()} s`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, playOneAfterTheOther))
  await payments.stop()
  return sum.end(`${count} interleavings on local chains from seed ${firstSeed}`)
}

function createSum() {
  const sum = { count: 0, broken: 0, payments: 0, transfers: 0, answers: 0, cashedIn: 0 }
  return {
    count: () => sum.count,
    /** Adds a run, and returns the number of its broken promises. */
    add: (seed: number, history: History): number => {
      sum.count++
      sum.payments += history.payments.length
      sum.transfers += history.transfers.length
      sum.answers += history.told.length
      sum.cashedIn += history.cashedIn.length
      const broken = brokenPromises(history)
      if (broken.length > 0) sum.broken++
      if (broken.length > 0) print(`seed ${seed}: ${broken.join('; ')}`)
      return broken.length
    },
    end: (what: string): number => {
      const { broken, payments, transfers, answers, cashedIn } = sum
      const counts = `${payments} payments, ${transfers} transfers, ${answers} answers, ${cashedIn} cashed in later`
      print(`${what} in ${secondsSoFar()} s: ${counts}: ${broken} broken`)
      return broken
    },
  }
}

async function sabotage(seeds: string, named: string): Promise<void> {
  const chosen = sabotages.filter(({ name }) => name.includes(named))
  const missed: string[] = []
  await inCheckoutCopy(async ({ folder, commit }) => {
    for (const each of chosen) {
      const restore = await commit(each)
      const found = await findsMistake(folder, seeds)
      await restore()
      if (found === null) missed.push(each.name)
      print(`${found ?? 'not found'}  ${each.name}`)
    }
  })
  print(`${chosen.length - missed.length} of ${chosen.length} mistakes found in ${secondsSoFar()} s`)
}
