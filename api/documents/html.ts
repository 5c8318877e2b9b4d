/** HTML templates. Values are escaped as text, except values of type `Html`. */

export type Html = Readonly<{ html: string }>

type Value = string | number | Html | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

function written(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value))
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}

export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => ({
  html: parts.reduce((text, part, index) => {
    const value = values[index]
    return text + part + (value === undefined ? '' : written(value))
  }, ''),
})

/** Escapes a text, and turns the parts between backticks into `<code>` elements. */
export const prose = (text: string): Html => ({
  html: escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>'),
})

/** Like `prose`, and turns `[label](/address)` into a link within this service. */
export const marked = (text: string): Html => ({
  html: prose(text).html.replace(/\[([^\]]+)\]\(([/#][^)\s]*)\)/g, '<a href="$2">$1</a>'),
})
