import type { tour as Tour } from "../en/tour";

export const tour: typeof Tour = {
  title: "新手引导",
  progress: (done, of) => `已完成 ${done} 步，共 ${of} 步`,
  skip: "跳过引导",
  done: "完成",
  more: "给 Prime 一件事做",
  again: "重新引导",
  againNote: "五个步骤，直接在产品中完成。",
  over: "全部完成",
  overLine: "从现在起，Prime 学得越多，问得越少。按 ? 查看快捷键，按 Ctrl K 查找任何内容。",
  step: {
    say: { title: "说出要完成的事", line: "一两句话就够了，也可以用一个示例。", act: "去写" },
    room: { title: "看看谁在推进", line: "Prime 为每个部分开设房间，每个房间只知道需要知道的。", act: "打开作战室" },
    answer: { title: "回答一个问题", line: "只有你能决定的事会出现在下面。选一个回答，并勾选“定为规则”：下一次类似的事就不再问你。", act: "去看问题" },
    rule: { title: "把回答定为规则", line: "发送下一个回答前勾选“定为规则”：类似的事就不再问你。", act: "去看问题" },
    quieter: { title: "看它越来越安静", line: "提问减少，替你处理的增加。", act: "查看数据" },
  },
};
