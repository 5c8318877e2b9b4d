/**
 * `npm run payments -- 10000 [first seed]`: the promises about payments over so many interleavings; exit code 1 where one is
 * broken, with the fewest steps that break it.
 * `npm run payments -- sabotage [200] [words of a name]`: whether so many seeds find the mistakes that somebody could make.
 */
import { inCheckoutCopy } from '../checkout-copy.ts'
import { findsMistake } from './finds-mistake.ts'
import { brokenPromises } from './history.ts'
import { planOf } from './plan.ts'
import { playAlone, smallest } from './prove.ts'
import { sabotages } from './sabotages.ts'

const print = (text: string) => void process.stdout.write(`${text}\n`)
const startedAtMs = performance.now()
const secondsSoFar = () => Math.round((performance.now() - startedAtMs) / 1000)
const [command = '10000', ...rest] = process.argv.slice(2)

if (command === 'sabotage') await sabotage(rest[0] ?? '200', rest[1] ?? '')
else process.exitCode = (await prove(Number(command), Number(rest[0] ?? 1))) === 0 ? 0 : 1
// What was killed in the middle waits for ever.
process.exit()

async function prove(count: number, firstSeed: number): Promise<number> {
  const sum = { broken: 0, payments: 0, transfers: 0, answers: 0, cashedIn: 0 }
  for (let done = 0; done < count; done++) {
    const plan = planOf(firstSeed + done)
    const history = await playAlone(plan)
    sum.payments += history.payments.length
    sum.transfers += history.transfers.length
    sum.answers += history.told.length
    sum.cashedIn += history.cashedIn.length
    const broken = brokenPromises(history)
    if (broken.length > 0) {
      sum.broken++
      print(`seed ${plan.seed}: ${broken.join('; ')}`)
      const least = await smallest(plan, async (less) => brokenPromises(await playAlone(less)))
      print(JSON.stringify(least))
    }
    if ((done + 1) % 1_000 === 0) print(`${done + 1} of ${count}, ${secondsSoFar()} s`)
  }
  print(
    `${count} interleavings from seed ${firstSeed} in ${secondsSoFar()} s: ${sum.payments} payments, ${sum.transfers} transfers, ` +
      `${sum.answers} answers, ${sum.cashedIn} cashed in later: ${sum.broken} broken`,
  )
  return sum.broken
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
