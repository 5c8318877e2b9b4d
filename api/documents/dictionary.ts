/** The data dictionary: every field of every answer, derived from the schemas of the OpenAPI document. */
import type { JsonSchema } from './json-schema.ts'
import type { OpenApi } from './openapi.ts'

export type FieldEntry = Readonly<{
  /** The path of the field: `.` separates the fields of a nested object, and `[]` marks a list. */
  name: string
  /** The type as text. `array of rhBurst` is a list of the resource `rhBurst`. */
  type: string
  nullable: boolean
  /** Whether answers can omit the field. The description says when. */
  optional: boolean
  availability: string
  description: string
  minimum?: number
  /** A bound that the value must exceed. */
  exclusiveMinimum?: number
  maximum?: number
  values?: readonly (number | string | boolean)[]
  pattern?: string
}>

export type Dictionary = Readonly<{
  fieldsOf(schema: JsonSchema): readonly FieldEntry[]
  /** The resources (named objects) that are types of the entries of `fieldsOf`, by name. */
  resources: Readonly<Record<string, readonly FieldEntry[]>>
}>

type Context = Readonly<{ prefix: string; availability: string; description: string }>

const outermost: Context = { prefix: '', availability: 'now', description: '' }

export function createDictionary({ components: { schemas } }: Pick<OpenApi, 'components'>): Dictionary {
  const named = new Set<string>()
  const partNamed = (ref: unknown): string => String(ref).split('/').at(-1) ?? ''
  const resolved = (schema: JsonSchema): JsonSchema =>
    '$ref' in schema ? resolved({ ...schemas[partNamed(schema.$ref)] }) : schema

  const typeOf = (schema: JsonSchema): string => {
    if ('$ref' in schema) {
      const name = partNamed(schema.$ref)
      named.add(name)
      return name
    }
    if (Array.isArray(schema.prefixItems)) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
    if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as JsonSchema)}`
    if (isMap(schema)) return `map of ${typeOf(schema.additionalProperties as JsonSchema)}`
    const { type = 'any' } = schema
    return String(Array.isArray(type) ? type.filter((one) => one !== 'null').join(' or ') : type)
  }

  const entriesOf = (schema: JsonSchema, context: Context): readonly FieldEntry[] =>
    variantsOf(schema).flatMap((variant) => {
      const properties = Object.entries((variant.properties ?? {}) as Record<string, JsonSchema>)
      const required = new Set((variant.required ?? []) as readonly string[])
      return properties.flatMap(([name, field]) =>
        entryOf(field, { ...context, name: `${context.prefix}${name}`, optional: !required.has(name) }),
      )
    })

  const entryOf = (
    schema: JsonSchema,
    { name, optional, ...context }: Context & Readonly<{ name: string; optional: boolean }>,
  ): readonly FieldEntry[] => {
    const { value, nullable } = withoutNull(schema)
    const availability = String(schema['x-availability'] ?? context.availability)
    const description = String(schema.description ?? context.description)
    const inner = innerObject(value)
    const own = { name, type: typeOf(value), nullable, optional, availability, description, ...boundsOf(value) }
    if (inner === null) return [own]
    const prefix = `${name}${inner.isList ? '[]' : ''}.`
    return [own, ...entriesOf(inner.schema, { prefix, availability, description })]
  }

  /** Merges the alternative forms of an object into one. A field that only some forms have becomes optional. */
  const variantsOf = (schema: JsonSchema): readonly JsonSchema[] => {
    const forms = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined
    if (!forms) return [schema]
    const whole = forms.map(resolved)
    const propertiesOf = (form: JsonSchema) => (form.properties ?? {}) as Record<string, JsonSchema>
    const properties = Object.assign({}, ...whole.map(propertiesOf)) as Record<string, JsonSchema>
    for (const [name, field] of Object.entries(properties))
      if (whole.every((form) => typeof propertiesOf(form)[name]?.const === 'boolean')) {
        const { const: _, ...rest } = field
        properties[name] = rest
      }
    const required = Object.keys(properties).filter((name) => whole.every((form) => name in propertiesOf(form)))
    return [{ properties, required }]
  }

  const fieldsOf = (schema: JsonSchema) => entriesOf(resolved(schema), outermost)
  const resources: Record<string, readonly FieldEntry[]> = {}
  return {
    fieldsOf(schema) {
      const fields = fieldsOf(schema)
      // `fieldsOf` can add names to `named` while this loop runs, because fields of a resource can refer to
      // further resources. The loop also visits the added names.
      for (const name of named) resources[name] ??= fieldsOf({ $ref: `#/components/schemas/${name}` })
      return fields
    },
    resources,
  }
}

const isMap = (schema: JsonSchema): boolean =>
  typeof schema.additionalProperties === 'object' && schema.properties === undefined

/**
 * Returns the unnamed object of the schema: the schema itself, or the items of a list or map. The dictionary lists its
 * fields inline. Returns null if there is no unnamed object.
 */
function innerObject(schema: JsonSchema): Readonly<{ schema: JsonSchema; isList: boolean }> | null {
  if (schema.type === 'array') {
    const inner = innerObject((schema.items || {}) as JsonSchema)
    return inner && { ...inner, isList: true }
  }
  if (isMap(schema)) return innerObject(schema.additionalProperties as JsonSchema)
  return schema.properties === undefined ? null : { schema, isList: false }
}

function withoutNull(schema: JsonSchema): Readonly<{ value: JsonSchema; nullable: boolean }> {
  const forms = schema.anyOf as readonly JsonSchema[] | undefined
  const [one, none] = forms ?? []
  if (forms?.length === 2 && one && none?.type === 'null') return { value: one, nullable: true }
  if (!Array.isArray(schema.type)) return { value: schema, nullable: false }
  const [type, ...others] = schema.type.filter((one) => one !== 'null')
  const value = others.length === 0 ? { ...schema, type } : schema
  return { value, nullable: schema.type.includes('null') }
}

function boundsOf(schema: JsonSchema): Partial<FieldEntry> {
  const { minimum, exclusiveMinimum, maximum, pattern, enum: values } = schema
  return {
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(typeof exclusiveMinimum === 'number' ? { exclusiveMinimum } : {}),
    ...(typeof maximum === 'number' ? { maximum } : {}),
    ...(typeof pattern === 'string' ? { pattern } : {}),
    ...(Array.isArray(values) ? { values: values.filter((value) => value !== null) } : {}),
    ...('const' in schema ? { values: [schema.const as number | string | boolean] } : {}),
  }
}
