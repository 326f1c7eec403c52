// 关于模型与连接模型的词句。
import type { model as English } from "../en/model";

export const model: typeof English = {
  title: "模型",
  now: (name) => (name === "offline" ? "Prime 使用离线引擎：在本机按规则工作，没有模型。" : `Prime 正在使用 ${name}。`),
  connect: "连接模型",
  note: "保存之前会先实际问它一句。密钥加密保存，之后不再显示。",
  name: "模型",
  provider: "来源",
  providerName: { openai: "OpenAI", anthropic: "Anthropic", gemini: "Gemini", ollama: "Ollama", other: "其他服务器" },
  nameHint: "留空则使用所示的模型。",
  key: "密钥",
  keyHint: "如果服务器需要。",
  address: "地址",
  addressHint: "兼容 OpenAI 接口的服务器。",
  addressHintOllama: "留空则为本机。",
  attempt: "试一下",
  trying: "正在询问",
  answered: (name, text) => `${name} 回答：“${text}”`,
  refused: (name, text) => `${name} 没有回答。${text}`,
  use: "使用它",
  used: (name) => `Prime 现在使用 ${name}。`,
  leave: "回到离线引擎",
  left: "已断开。",
};
