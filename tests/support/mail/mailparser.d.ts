/** The part of mailparser that tests use; the package brings no types. */
declare module 'mailparser' {
  export interface ParsedMail {
    readonly subject?: string
    readonly text?: string
    readonly html: string | false
    readonly messageId?: string
    readonly headers: ReadonlyMap<string, unknown>
    readonly headerLines: readonly { readonly key: string; readonly line: string }[]
    readonly from?: { readonly value: readonly { readonly address?: string; readonly name: string }[] }
    readonly to?: { readonly value: readonly { readonly address?: string; readonly name: string }[] }
    readonly attachments: readonly unknown[]
  }
  export function simpleParser(source: Buffer | string): Promise<ParsedMail>
}
