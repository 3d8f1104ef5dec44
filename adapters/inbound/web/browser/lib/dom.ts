type Child = Node | string

/** Returns a new element with attributes; strings become text, never markup. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...children)
  return made
}

/** Returns a button without a handler. */
export const button = (label: string, look = ''): HTMLButtonElement =>
  element('button', { type: 'button', class: `button ${look}`.trim() }, label)
