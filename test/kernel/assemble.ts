/**
 * @module
 * From the text of the kernel to bytes, and to the source file that holds them.
 */

import wabt from 'wabt';
import { type KernelTextOptions, kernelText } from '../../src/erasure/kernel/wat/kernel-text.ts';

const FEATURES = { simd: true, relaxed_simd: true, bulk_memory: true, threads: true };

/** A part of the assembler's message: its full text quotes the source, a megabyte. */
const MESSAGE_CHARACTERS = 2000;

/**
 * The bytes of one build.
 *
 * @throws Error with the assembler's message, cut short.
 */
export async function assembleKernel(options: KernelTextOptions): Promise<Uint8Array> {
  const assembler = await wabt();
  try {
    const module = assembler.parseWat('kernel.wat', kernelText(options), FEATURES);
    module.resolveNames();
    // Takes the features, too, which its types do not say.
    (module as { validate(features: typeof FEATURES): void }).validate(FEATURES);
    const { buffer } = module.toBinary({ log: false, write_debug_names: false });
    module.destroy();
    return buffer;
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`kernel.wat: ${message.slice(0, MESSAGE_CHARACTERS)}`);
  }
}

/** A string constant over several lines of source. */
function constantText(name: string, doc: string, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString('base64');
  const lines = base64.match(/.{1,92}/g) ?? [];
  return `/** ${doc} ${bytes.length} bytes. */\nexport const ${name}: string = \`\n${lines.join('\n')}\n\`;\n`;
}

/** The source file `kernel-bytes.ts`. */
export async function kernelBytesSource(): Promise<string> {
  const relaxed = await assembleKernel({ isRelaxed: true, isShared: false });
  const plain = await assembleKernel({ isRelaxed: false, isShared: false });
  return [
    '/**',
    ' * @module',
    ' * The assembled kernel in base64. Long because it is generated, by `npm run kernel` from `wat/`; do not edit.',
    ' */',
    '',
    constantText('RELAXED', 'The build with relaxed SIMD.', relaxed),
    constantText('PLAIN', 'The build for every host with SIMD.', plain),
  ].join('\n');
}
