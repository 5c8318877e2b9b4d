/**
 * `launch-data check-listing`: requests every paid URL that a service lists, and checks the rules by which
 * catalogues of x402 list it. It pays nothing.
 */
import { type Check, isOk, ok, reasonOf, textOfChecks, wrong } from '../../check.ts'
import { type Get, type Listed, type Probe, probe } from './probe.ts'
import { type Rule, rules } from './rules.ts'

type Endpoint = Readonly<{ route: string; url: string | null; price: number }>

const catalogueName = 'catalogue'

/** Returns one check for the catalogue, and one for each rule. `get` requests a path of the service. */
export async function checkListing(get: Get): Promise<readonly Check[]> {
  const endpoints = await readCatalogue(get).catch(reasonOf)
  if (typeof endpoints === 'string') return [wrong(catalogueName, endpoints, 'start the service, or correct the URL')]
  const listed = endpoints.filter((endpoint): endpoint is Listed => endpoint.url !== null)
  const probes: Probe[] = []
  // One request at a time, so that a check does not disturb buyers.
  for (const each of listed) probes.push(await probe(each, get))
  return [checkCatalogue(endpoints), ...rules.map((rule) => checkRule(rule, probes))]
}

async function readCatalogue(get: Get): Promise<readonly Endpoint[] | string> {
  const answer = await get('/')
  if (answer.status !== 200) return `/ answers ${answer.status}`
  const { endpoints } = (await answer.json()) as Readonly<{ endpoints?: readonly Endpoint[] }>
  return endpoints !== undefined && endpoints.length > 0 ? endpoints : '/ lists no paid routes'
}

function checkCatalogue(endpoints: readonly Endpoint[]): Check {
  const withoutUrl = endpoints.filter(({ url }) => url === null).map(({ route }) => route)
  if (withoutUrl.length === 0) return ok(catalogueName, `a URL of each of ${endpoints.length} paid routes`)
  const says = `no URL of ${withoutUrl.join(', ')}, because the service tracks nothing for it`
  return wrong(catalogueName, says, 'try again when the service has data')
}

function checkRule({ name, toDo, faultOf }: Rule, probes: readonly Probe[]): Check {
  const faults = probes.flatMap((each) => {
    const fault = faultOf(each)
    return fault === null ? [] : [`${each.route}: ${fault}`]
  })
  if (faults.length === 0) return ok(name, `${probes.length} routes`)
  return wrong(name, `${faults.length} of ${probes.length} routes. ${faults[0]}`, toDo)
}

/** Prints one line for each check. Returns false if a rule fails. */
export async function runCheckListing(url: string, signal: AbortSignal): Promise<boolean> {
  const get: Get = (path) =>
    fetch(new URL(path, url), {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
    })
  const checks = await checkListing(get)
  process.stdout.write(textOfChecks(checks))
  return checks.every(isOk)
}

const answerMsMax = 10_000
