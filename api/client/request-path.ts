import { OperationError } from '../../infra/errors.ts'

/** The parameters of one request. A parameter without a value is left out. */
export type RequestParams = Readonly<Record<string, string | number | undefined>>

/**
 * Returns the path and the query of a request. `:name` in the pattern is replaced by the parameter of this name. All
 * other parameters are in the query.
 */
export function requestPathOf(pattern: string, params: RequestParams = {}): string {
  const inQuery = new Map(Object.entries(params))
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = inQuery.get(name)
    inQuery.delete(name)
    if (value === undefined || value === '')
      throw new OperationError('config_invalid', `${pattern} needs the parameter ${name}. Pass its value`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of inQuery) if (value !== undefined) query.append(name, String(value))
  return query.size === 0 ? path : `${path}?${query}`
}
