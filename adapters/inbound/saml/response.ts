import type { Response } from '../../../domain/saml/response.ts'
import { sentXml } from './markup.ts'
import { assertionXml, responseXml } from './response-xml.ts'
import { signElement, type XmlSigner } from './sign.ts'

/**
 * Creates a response. The assertion is always signed. The whole response is also signed if the application expects it
 * or if there is no assertion, so that nobody else can report to an application that a user cancelled.
 */
export const signedResponse = async (
  response: Response,
  signer: XmlSigner,
  signWhole: boolean,
): Promise<string> => {
  const unsigned = response.assertion
  const assertion =
    unsigned === null
      ? null
      : await signElement(unsigned.id, (signature) => assertionXml(unsigned, signature), signer)
  const whole = (signature: Parameters<typeof responseXml>[2]) => responseXml(response, assertion, signature)
  return sentXml(
    signWhole || assertion === null ? await signElement(response.id, whole, signer) : whole(null),
  )
}
