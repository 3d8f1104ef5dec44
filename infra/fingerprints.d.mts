import type { Fingerprints } from '../read-models/schema.ts'

export declare const fingerprintsFile: string
export declare const deriveFingerprints: (root: string) => Promise<Fingerprints>
export declare const writeFingerprints: (root: string, output?: string) => Promise<void>
