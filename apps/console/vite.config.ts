import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { tellLaterFiles } from './tell-later-files.ts';

export default defineConfig({
  plugins: [react(), tailwindcss(), tellLaterFiles()],
  build: {
    // light-dark() and nesting as they are written.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The policy of the page lets in files only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
