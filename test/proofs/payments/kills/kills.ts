/**
 * `npm run payments:kill -- [shop|service]` kills the service at every moment of a payment, on each chain, and starts it again on the same
 * data. The exit code is 1 if anything went wrong. `service` is the whole service, which needs minutes for data.
 */
import { startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { startKilledService } from './kill-service.ts'
import { localMoney } from './local-money.ts'
import { moments } from './moments.ts'

const victim = process.argv[2] === 'service' ? 'service' : 'shop'
const print = (text: string) => void process.stdout.write(`${text}\n`)
const startedAtMs = performance.now()
const payments = await startLocalPayments()
let wrongCount = 0
let kills = 0
for (const [chain, money] of Object.entries(await localMoney(payments))) {
  const service = await startKilledService(money, victim)
  for (const moment of moments) {
    const wrong = await service.killAt(moment)
    kills++
    if (wrong.length > 0) wrongCount++
    print(`${chain}, ${moment.name}: ${wrong.join('; ') || 'one transfer, one answer'}`)
  }
  await service.stop()
}
await payments.stop()
print(`${kills} kills in ${Math.round((performance.now() - startedAtMs) / 1000)} s: ${wrongCount} with a mistake`)
process.exit(wrongCount === 0 ? 0 : 1)
