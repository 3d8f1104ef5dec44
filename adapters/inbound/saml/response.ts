import type { Response } from '../../../domain/saml/response.ts'
import { sentXml } from './markup.ts'
import { assertionXml, responseXml } from './response-xml.ts'
import { signElement, type XmlSigner } from './sign.ts'

/**
 * A response as it is posted. The assertion is always signed; then the whole, where the application expects it and
 * where there is no assertion, so that nobody else can tell an application that someone went back.
 */
export const signedResponse = async (
  response: Response,
  signer: XmlSigner,
  signWhole: boolean,
): Promise<string> => {
  const given = response.assertion
  const assertion =
    given === null ? null : await signElement(given.id, (signature) => assertionXml(given, signature), signer)
  const whole = (signature: Parameters<typeof responseXml>[2]) => responseXml(response, assertion, signature)
  return sentXml(
    signWhole || assertion === null ? await signElement(response.id, whole, signer) : whole(null),
  )
}
