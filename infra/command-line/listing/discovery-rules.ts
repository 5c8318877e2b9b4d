/** The rules about what a 402 tells catalogues: the extension bazaar, and the name of the service. */
import type { PaymentRequired } from '@x402/core/types'
import { type DiscoveryExtension, validateAndExtract, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import type { RequiredRule } from './rules.ts'

type Bazaar = Readonly<{
  info?: Readonly<{
    input?: Readonly<{ type?: string; method?: string; queryParams?: Values; pathParams?: Values }>
    output?: Readonly<{ example?: unknown }>
  }>
  schema?: object
}>
type Values = Readonly<Record<string, unknown>>

const bazaarOf = ({ extensions }: PaymentRequired): Bazaar | undefined => extensions?.bazaar as Bazaar | undefined

/** Makes a rule about the extension. Without the extension, only the rule about its presence fails. */
const ofBazaar = (
  rule: Omit<RequiredRule, 'faultOf'>,
  faultOf: (bazaar: Bazaar, url: string) => string | null,
): RequiredRule => ({
  ...rule,
  faultOf: (required, { url }) => {
    const bazaar = bazaarOf(required)
    return bazaar === undefined ? null : faultOf(bazaar, url)
  },
})

export const discoveryRules: readonly RequiredRule[] = [
  {
    name: 'extension bazaar',
    toDo: 'declare the extension bazaar. Catalogues list no route without it',
    faultOf: (required) => (bazaarOf(required) === undefined ? 'it is missing' : null),
  },
  ofBazaar(
    { name: 'bazaar.info and bazaar.schema', toDo: 'declare both as the specification of bazaar says' },
    (bazaar) => {
      const { valid, errors = [] } = validateDiscoveryExtensionSpec(bazaar)
      return valid ? null : errors.join(', ')
    },
  ),
  ofBazaar({ name: 'bazaar.info fits its schema', toDo: 'correct the example or its schema' }, (bazaar) => {
    const { valid, errors = [] } = validateAndExtract(bazaar as DiscoveryExtension)
    return valid ? null : errors.join(', ')
  }),
  ofBazaar({ name: 'bazaar.info.input', toDo: 'declare the type http and the method GET' }, ({ info }) => {
    const { type, method } = info?.input ?? {}
    return type === 'http' && method === 'GET' ? null : `it is ${type} ${method}`
  }),
  ofBazaar({ name: 'values of the input', toDo: 'give an example value for each parameter' }, ({ info }) => {
    const { queryParams = {}, pathParams = {} } = info?.input ?? {}
    const empty = Object.entries({ ...queryParams, ...pathParams }).find(([, value]) => value === '' || value === null)
    return empty === undefined ? null : `${empty[0]} is empty`
  }),
  ofBazaar({ name: 'path of the input', toDo: 'let the example name what the URL names' }, ({ info }, url) => {
    const parts = new URL(url).pathname.split('/')
    const other = Object.entries(info?.input?.pathParams ?? {}).find(([, value]) => !parts.includes(String(value)))
    return other === undefined ? null : `the URL does not have ${other[0]} ${other[1]}`
  }),
  ofBazaar(
    { name: 'bazaar.info.output', toDo: 'add an example of the answer, of at most 1,200 characters' },
    ({ info }) => {
      const example = info?.output?.example
      return typeof example === 'object' && example !== null && Object.keys(example).length > 0
        ? null
        : 'it has no example'
    },
  ),
  {
    name: 'resource.serviceName',
    toDo: 'name the service, so that catalogues show a name instead of the host',
    faultOf: ({ resource }) => (resource.serviceName === undefined ? 'it is missing' : null),
  },
]
