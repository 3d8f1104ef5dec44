import type { Response } from '../../../domain/saml/response.ts'
import { sentXml } from './markup.ts'
import { assertionXml, responseXml } from './response-xml.ts'
import { signElement, type XmlSigner } from './sign.ts'

/**
 * A response as it is posted. The assertion is always signed; then the whole, if the application expects it or
 * if there is no assertion, so that only this service can report to an application that a user went back.
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
